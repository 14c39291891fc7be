// SPDX-License-Identifier: Apache-2.0
// Declarations of AppKit for type-checking only.
#pragma once
@import Foundation;
#pragma clang assume_nonnull begin

NS_SWIFT_UI_ACTOR @interface NSWindow : NSObject @end

#pragma clang assume_nonnull end
