// SPDX-License-Identifier: Apache-2.0
// Declarations of Local Authentication for type-checking only.
#pragma once
@import Foundation;
#pragma clang assume_nonnull begin

extern NSErrorDomain const LAErrorDomain;
typedef enum __attribute__((ns_error_domain(LAErrorDomain))) __attribute__((enum_extensibility(open))) LAError
    : NSInteger LAError;
enum __attribute__((ns_error_domain(LAErrorDomain), enum_extensibility(open))) LAError : NSInteger {
    LAErrorAuthenticationFailed = -1,
    LAErrorUserCancel = -2,
    LAErrorUserFallback = -3,
    LAErrorSystemCancel = -4,
    LAErrorPasscodeNotSet = -5,
    LAErrorAppCancel = -9,
    LAErrorInvalidContext = -10,
    LAErrorNotInteractive = -1004
};

INTRODUCED(8.0, 10.10)
@interface LAContext : NSObject
- (void)invalidate INTRODUCED(9.0, 10.11);
@property (nonatomic, copy) NSString *localizedReason INTRODUCED(11.0, 10.13);
@end

#pragma clang assume_nonnull end
