// SPDX-License-Identifier: Apache-2.0
// Declarations of Device Check for type-checking only.
#pragma once
@import Foundation;
#pragma clang assume_nonnull begin

extern NSErrorDomain const DCErrorDomain;
typedef enum __attribute__((ns_error_domain(DCErrorDomain))) __attribute__((enum_extensibility(open))) DCError
    : NSInteger DCError;
enum __attribute__((ns_error_domain(DCErrorDomain), enum_extensibility(open))) DCError : NSInteger {
    DCErrorUnknownSystemFailure,
    DCErrorFeatureUnsupported,
    DCErrorInvalidInput,
    DCErrorInvalidKey,
    DCErrorServerUnavailable
};

INTRODUCED(14.0, 11.0)
@interface DCAppAttestService : NSObject
@property (class, readonly) DCAppAttestService *sharedService;
@property (getter=isSupported, readonly) BOOL supported NS_SWIFT_NAME(isSupported);
- (void)generateKeyWithCompletionHandler:(void (^)(NSString *_Nullable keyId, NSError *_Nullable error))completionHandler;
- (void)attestKey:(NSString *)keyId
       clientDataHash:(NSData *)clientDataHash
    completionHandler:(void (^)(NSData *_Nullable attestationObject, NSError *_Nullable error))completionHandler;
- (void)generateAssertion:(NSString *)keyId
           clientDataHash:(NSData *)clientDataHash
        completionHandler:(void (^)(NSData *_Nullable assertionObject, NSError *_Nullable error))completionHandler;
@end

#pragma clang assume_nonnull end
