import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;
type Listener = Parameters<Call['start']>[1];

const CANCELLED = 1;

/**
 * The SDK's retries, without their one flaw: a retry that is due after the connection was closed throws from a timer, where
 * no code can catch the error. Here such a request fails with CANCELLED.
 */
export function retryInterceptors(): Interceptor[] {
  return [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), onClosedChannel];
}

const onClosedChannel: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call; // what the chain continues with
  } catch (error) {
    return failedCall(CANCELLED, error instanceof Error ? error.message : String(error));
  }
};

/** Makes a call that fails at its start. `code`: gRPC's status code. */
export function failedCall(code: number, details: string): Call {
  const nothing = () => undefined;
  const call = {
    start(metadata: Parameters<Call['start']>[0], listener?: Listener) {
      listener?.onReceiveStatus?.({ code, details, metadata });
    },
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    halfClose: nothing,
    startRead: nothing,
    cancelWithStatus: nothing,
    getPeer: () => '',
    getAuthContext: () => null,
  };
  return call as unknown as Call; // all that the retries use of a call
}
