// SPDX-License-Identifier: Apache-2.0
// Declarations of Authentication Services for type-checking only.
#pragma once
@import Foundation;
#if defined(__ENVIRONMENT_MAC_OS_X_VERSION_MIN_REQUIRED__)
@import AppKit;
typedef NSWindow *ASPresentationAnchor;
#else
@import UIKit;
typedef UIWindow *ASPresentationAnchor;
#endif
#pragma clang assume_nonnull begin

@class ASWebAuthenticationSession;

extern NSErrorDomain const ASWebAuthenticationSessionErrorDomain;
typedef enum __attribute__((ns_error_domain(ASWebAuthenticationSessionErrorDomain)))
__attribute__((enum_extensibility(open))) ASWebAuthenticationSessionErrorCode : NSInteger ASWebAuthenticationSessionErrorCode;
enum __attribute__((ns_error_domain(ASWebAuthenticationSessionErrorDomain), enum_extensibility(open)))
ASWebAuthenticationSessionErrorCode : NSInteger {
    ASWebAuthenticationSessionErrorCodeCanceledLogin = 1,
    ASWebAuthenticationSessionErrorCodePresentationContextNotProvided = 2,
    ASWebAuthenticationSessionErrorCodePresentationContextInvalid = 3
};

NS_SWIFT_UI_ACTOR INTRODUCED(13.0, 10.15)
@protocol ASWebAuthenticationPresentationContextProviding <NSObject>
- (ASPresentationAnchor)presentationAnchorForWebAuthenticationSession:(ASWebAuthenticationSession *)session;
@end

INTRODUCED(17.4, 14.4)
__attribute__((swift_name("ASWebAuthenticationSession.Callback")))
@interface ASWebAuthenticationSessionCallback : NSObject
+ (instancetype)callbackWithCustomScheme:(NSString *)customScheme NS_SWIFT_NAME(customScheme(_:));
+ (instancetype)callbackWithHTTPSHost:(NSString *)host path:(NSString *)path NS_SWIFT_NAME(https(host:path:));
@end

typedef void (^ASWebAuthenticationSessionCompletionHandler)(NSURL *_Nullable callbackURL, NSError *_Nullable error)
    __attribute__((swift_name("ASWebAuthenticationSession.CompletionHandler")));

INTRODUCED(12.0, 10.15)
@interface ASWebAuthenticationSession : NSObject
- (instancetype)initWithURL:(NSURL *)URL
                   callback:(ASWebAuthenticationSessionCallback *)callback
          completionHandler:(ASWebAuthenticationSessionCompletionHandler)completionHandler INTRODUCED(17.4, 14.4);
@property (nonatomic, weak) id<ASWebAuthenticationPresentationContextProviding> presentationContextProvider
    INTRODUCED(13.0, 10.15);
@property (nonatomic) BOOL prefersEphemeralWebBrowserSession INTRODUCED(13.0, 10.15);
- (BOOL)start __attribute__((swift_attr("discardableResult")));
- (void)cancel;
@end

#pragma clang assume_nonnull end
