/** An interceptor for undici's `Dispatcher.compose`: `@tidegate/governor/undici`. Undici 7 or 8. */

export {
  type DispatchController,
  type DispatchedRequest,
  type DispatchHandler,
  type GovernorInterceptorOptions,
  governorInterceptor,
} from './adapters/undici.js';
