/** A governed `fetch`, for any SDK that takes one: `@tidegate/governor/fetch`. */

export { type GovernedFetchOptions, governedFetch } from './adapters/fetch.js';
