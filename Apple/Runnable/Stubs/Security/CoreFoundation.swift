// SPDX-License-Identifier: Apache-2.0

import Foundation

// Chosen so that the text of the adapters means here what it means with Apple's Core Foundation.
public typealias OSStatus = Int32
public typealias CFString = String
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFTypeRef = AnyObject
public typealias CFError = NSError
public typealias CFOptionFlags = UInt
public enum CFAllocator {}
