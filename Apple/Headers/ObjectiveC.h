// SPDX-License-Identifier: Apache-2.0
// Declarations of the Objective-C runtime for type-checking only.
#pragma once
#pragma clang assume_nonnull begin

#define BOOL _Bool
#define NS_SWIFT_NAME(name) __attribute__((swift_name(#name)))
#define NS_SWIFT_SENDABLE __attribute__((swift_attr("@Sendable")))

#define NS_SWIFT_UI_ACTOR __attribute__((swift_attr("@UIActor")))
#define NS_EXTENSION_UNAVAILABLE \
    __attribute__((availability(ios_app_extension, unavailable))) \
    __attribute__((availability(macos_app_extension, unavailable)))
#define INTRODUCED(ios_version, macos_version) \
    __attribute__((availability(ios, introduced = ios_version))) \
    __attribute__((availability(macos, introduced = macos_version)))

typedef long NSInteger;
typedef unsigned long NSUInteger;

NS_SWIFT_NAME(NSObjectProtocol)
@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
@property (readonly) NSUInteger hash;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
+ (instancetype)alloc;
- (instancetype)init;
@end

#pragma clang assume_nonnull end
