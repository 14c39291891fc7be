// SPDX-License-Identifier: Apache-2.0
// Declarations of Foundation for type-checking only: what URLSession reports to its delegate.
#pragma once
@import ObjectiveC;
#pragma clang assume_nonnull begin

typedef double NSTimeInterval NS_SWIFT_NAME(TimeInterval);

// What Swift shows as values of its own

__attribute__((swift_bridge("Swift.String"))) @interface NSString : NSObject @end
@interface NSNumber : NSObject @end
__attribute__((swift_bridge("Swift.Dictionary"))) @interface NSDictionary<__covariant Key, __covariant Value> : NSObject @end
__attribute__((swift_bridge("Foundation.Data"))) @interface NSData : NSObject @end
__attribute__((swift_bridge("Foundation.URL"))) @interface NSURL : NSObject @end
__attribute__((swift_bridge("Foundation.URLRequest"))) @interface NSURLRequest : NSObject @end

typedef NSString *NSErrorDomain;
typedef NSString *NSErrorUserInfoKey;
extern NSErrorDomain const NSOSStatusErrorDomain;

__attribute__((swift_bridge("Swift.Error")))
@interface NSError : NSObject
@property (readonly, copy) NSErrorDomain domain;
@property (readonly) NSInteger code;
@property (readonly, copy) NSDictionary<NSErrorUserInfoKey, id> *userInfo;
@end

// Settings

typedef enum __attribute__((enum_extensibility(open))) NSURLRequestCachePolicy : NSUInteger NSURLRequestCachePolicy;
enum NS_SWIFT_NAME(NSURLRequest.CachePolicy) NSURLRequestCachePolicy : NSUInteger {
    NSURLRequestReloadIgnoringLocalCacheData = 1
};

typedef enum __attribute__((enum_extensibility(open))) NSHTTPCookieAcceptPolicy : NSUInteger NSHTTPCookieAcceptPolicy;
NS_SWIFT_NAME(HTTPCookie) @interface NSHTTPCookie : NSObject @end
enum NS_SWIFT_NAME(HTTPCookie.AcceptPolicy) NSHTTPCookieAcceptPolicy : NSUInteger {
    NSHTTPCookieAcceptPolicyAlways,
    NSHTTPCookieAcceptPolicyNever
};

// Of Security's SecProtocolTypes.h.
typedef enum __attribute__((enum_extensibility(open))) tls_protocol_version_t : unsigned short tls_protocol_version_t;
enum tls_protocol_version_t : unsigned short {
    tls_protocol_version_TLSv12 NS_SWIFT_NAME(TLSv12) = 0x0303
};

NS_SWIFT_NAME(HTTPCookieStorage) NS_SWIFT_SENDABLE @interface NSHTTPCookieStorage : NSObject @end
NS_SWIFT_NAME(URLCache) NS_SWIFT_SENDABLE @interface NSURLCache : NSObject @end
NS_SWIFT_NAME(URLCredentialStorage) NS_SWIFT_SENDABLE @interface NSURLCredentialStorage : NSObject @end
NS_SWIFT_NAME(OperationQueue) NS_SWIFT_SENDABLE @interface NSOperationQueue : NSObject @end

NS_SWIFT_NAME(URLSessionConfiguration) NS_SWIFT_SENDABLE
@interface NSURLSessionConfiguration : NSObject
@property (class, readonly, strong) NSURLSessionConfiguration *ephemeralSessionConfiguration NS_SWIFT_NAME(ephemeral);
@property NSURLRequestCachePolicy requestCachePolicy;
@property NSTimeInterval timeoutIntervalForRequest;
@property tls_protocol_version_t TLSMinimumSupportedProtocolVersion NS_SWIFT_NAME(tlsMinimumSupportedProtocolVersion);
@property BOOL HTTPShouldSetCookies NS_SWIFT_NAME(httpShouldSetCookies);
@property NSHTTPCookieAcceptPolicy HTTPCookieAcceptPolicy NS_SWIFT_NAME(httpCookieAcceptPolicy);
@property (nullable, retain) NSHTTPCookieStorage *HTTPCookieStorage NS_SWIFT_NAME(httpCookieStorage);
@property (nullable, retain) NSURLCredentialStorage *URLCredentialStorage NS_SWIFT_NAME(urlCredentialStorage);
@property (nullable, retain) NSURLCache *URLCache NS_SWIFT_NAME(urlCache);
@end

// Answers

NS_SWIFT_NAME(URLResponse) NS_SWIFT_SENDABLE
@interface NSURLResponse : NSObject
@property (nullable, readonly, copy) NSURL *URL NS_SWIFT_NAME(url);
@end

NS_SWIFT_NAME(HTTPURLResponse) NS_SWIFT_SENDABLE
@interface NSHTTPURLResponse : NSURLResponse
- (nullable instancetype)initWithURL:(NSURL *)url
                          statusCode:(NSInteger)statusCode
                         HTTPVersion:(nullable NSString *)HTTPVersion
                        headerFields:(nullable NSDictionary<NSString *, NSString *> *)headerFields
    NS_SWIFT_NAME(init(url:statusCode:httpVersion:headerFields:));
@property (readonly) NSInteger statusCode;
@property (readonly, copy) NSDictionary *allHeaderFields;
- (nullable NSString *)valueForHTTPHeaderField:(NSString *)field;
@end

NS_SWIFT_NAME(URLCredential) NS_SWIFT_SENDABLE @interface NSURLCredential : NSObject @end
extern NSString *const NSURLAuthenticationMethodClientCertificate;
NS_SWIFT_NAME(URLProtectionSpace) NS_SWIFT_SENDABLE
@interface NSURLProtectionSpace : NSObject
@property (readonly, copy) NSString *authenticationMethod;
@property (readonly, copy) NSString *host;
@end
NS_SWIFT_NAME(URLAuthenticationChallenge) NS_SWIFT_SENDABLE
@interface NSURLAuthenticationChallenge : NSObject
@property (readonly, copy) NSURLProtectionSpace *protectionSpace;
@end

// Sessions

NS_SWIFT_NAME(URLSessionTask) NS_SWIFT_SENDABLE
@interface NSURLSessionTask : NSObject
@property (readonly) NSUInteger taskIdentifier;
@property (nullable, readonly, copy) NSURLRequest *originalRequest;
@property (nullable, readonly, copy) NSURLResponse *response;
- (void)cancel;
- (void)resume;
@end

NS_SWIFT_NAME(URLSessionDataTask) NS_SWIFT_SENDABLE @interface NSURLSessionDataTask : NSURLSessionTask @end
NS_SWIFT_NAME(URLSessionUploadTask) NS_SWIFT_SENDABLE @interface NSURLSessionUploadTask : NSURLSessionDataTask @end

@protocol NSURLSessionDelegate;

NS_SWIFT_NAME(URLSession) NS_SWIFT_SENDABLE
@interface NSURLSession : NSObject
+ (NSURLSession *)sessionWithConfiguration:(NSURLSessionConfiguration *)configuration
                                  delegate:(nullable id<NSURLSessionDelegate>)delegate
                             delegateQueue:(nullable NSOperationQueue *)queue;
- (NSURLSessionDataTask *)dataTaskWithRequest:(NSURLRequest *)request;
- (NSURLSessionUploadTask *)uploadTaskWithRequest:(NSURLRequest *)request fromFile:(NSURL *)fileURL;
- (void)finishTasksAndInvalidate;
@end

typedef enum __attribute__((enum_extensibility(open))) NSURLSessionAuthChallengeDisposition : NSInteger
    NSURLSessionAuthChallengeDisposition;
enum NS_SWIFT_NAME(URLSession.AuthChallengeDisposition) NSURLSessionAuthChallengeDisposition : NSInteger {
    NSURLSessionAuthChallengeUseCredential = 0,
    NSURLSessionAuthChallengePerformDefaultHandling = 1,
    NSURLSessionAuthChallengeCancelAuthenticationChallenge = 2,
    NSURLSessionAuthChallengeRejectProtectionSpace = 3
};

typedef enum __attribute__((enum_extensibility(open))) NSURLSessionResponseDisposition : NSInteger
    NSURLSessionResponseDisposition;
enum NS_SWIFT_NAME(URLSession.ResponseDisposition) NSURLSessionResponseDisposition : NSInteger {
    NSURLSessionResponseCancel = 0,
    NSURLSessionResponseAllow = 1,
    NSURLSessionResponseBecomeDownload = 2,
    NSURLSessionResponseBecomeStream = 3
};

NS_SWIFT_NAME(URLSessionDelegate) NS_SWIFT_SENDABLE @protocol NSURLSessionDelegate <NSObject> @end

NS_SWIFT_NAME(URLSessionTaskDelegate) NS_SWIFT_SENDABLE
@protocol NSURLSessionTaskDelegate <NSURLSessionDelegate>
@optional
- (void)URLSession:(NSURLSession *)session
                          task:(NSURLSessionTask *)task
    willPerformHTTPRedirection:(NSHTTPURLResponse *)response
                    newRequest:(NSURLRequest *)request
             completionHandler:(void(NS_SWIFT_SENDABLE ^)(NSURLRequest *_Nullable))completionHandler
    NS_SWIFT_NAME(urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:));
- (void)URLSession:(NSURLSession *)session
                   task:(NSURLSessionTask *)task
    didReceiveChallenge:(NSURLAuthenticationChallenge *)challenge
      completionHandler:(void(NS_SWIFT_SENDABLE ^)(NSURLSessionAuthChallengeDisposition disposition,
                                                   NSURLCredential *_Nullable credential))completionHandler
    NS_SWIFT_NAME(urlSession(_:task:didReceive:completionHandler:));
- (void)URLSession:(NSURLSession *)session
                    task:(NSURLSessionTask *)task
    didCompleteWithError:(nullable NSError *)error NS_SWIFT_NAME(urlSession(_:task:didCompleteWithError:));
@end

NS_SWIFT_NAME(URLSessionDataDelegate) NS_SWIFT_SENDABLE
@protocol NSURLSessionDataDelegate <NSURLSessionTaskDelegate>
@optional
- (void)URLSession:(NSURLSession *)session
              dataTask:(NSURLSessionDataTask *)dataTask
    didReceiveResponse:(NSURLResponse *)response
     completionHandler:
         (void(NS_SWIFT_SENDABLE ^)(NSURLSessionResponseDisposition disposition))completionHandler
    NS_SWIFT_NAME(urlSession(_:dataTask:didReceive:completionHandler:));
- (void)URLSession:(NSURLSession *)session
          dataTask:(NSURLSessionDataTask *)dataTask
    didReceiveData:(NSData *)data NS_SWIFT_NAME(urlSession(_:dataTask:didReceive:));
@end

#pragma clang assume_nonnull end
