/** Middleware for `wrapLanguageModel` of the AI SDK: `@tidegate/governor/ai-sdk`. Versions 6 and 7 of `ai`. */

export {
  type CallOptions,
  type GovernorMiddleware,
  type GovernorMiddlewareOptions,
  governorMiddleware,
  type NamedModel,
} from './adapters/ai-sdk.js';
