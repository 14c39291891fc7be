// SPDX-License-Identifier: Apache-2.0
// Declarations of UIKit for type-checking only.
#pragma once
@import Foundation;
#pragma clang assume_nonnull begin

@class UIWindow;

NS_SWIFT_UI_ACTOR
@interface UIView : NSObject
@property (nonatomic, readonly, nullable) UIWindow *window;
- (void)didMoveToWindow;
@end

NS_SWIFT_UI_ACTOR @interface UIWindow : UIView @end

// Nothing of ours uses it: extensions cannot. It is here so that a use of it is found by the check for extensions.
NS_SWIFT_UI_ACTOR
@interface UIApplication : NSObject
@property (class, nonatomic, readonly) UIApplication *sharedApplication NS_SWIFT_NAME(shared) NS_EXTENSION_UNAVAILABLE;
@end

typedef NSString *UITextContentType __attribute__((swift_newtype(enum)));
extern UITextContentType const UITextContentTypeUsername;
extern UITextContentType const UITextContentTypePassword;
extern UITextContentType const UITextContentTypeOneTimeCode;

#pragma clang assume_nonnull end
