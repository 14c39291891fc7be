// SPDX-License-Identifier: Apache-2.0
// Declarations of UIKit for type-checking only.
#pragma once
@import Foundation;
#pragma clang assume_nonnull begin

NS_SWIFT_UI_ACTOR @interface UIWindow : NSObject @end

// Nothing of ours uses it: extensions cannot. It is here so that a use of it is found by the check for extensions.
NS_SWIFT_UI_ACTOR
@interface UIApplication : NSObject
@property (class, nonatomic, readonly) UIApplication *sharedApplication NS_SWIFT_NAME(shared) NS_EXTENSION_UNAVAILABLE;
@end

#pragma clang assume_nonnull end
