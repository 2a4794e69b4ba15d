/** The mock as an HTTP server, for processes that speak HTTP: `@tidegate/providers-mock/server`. Needs Node. */

export type { MockClock } from './adapters/clock.js';
export { type MockServer, type MockServerOptions, startMockServer } from './adapters/http-server.js';
export { profileApi } from './adapters/profile-api.js';
export { WALL_CLOCK } from './adapters/wall-clock.js';
export type { AnswerTimes, DrawnFor, ModelDraws, ModelManners, Served } from './wire/generation.js';
export { type ApiLedger, type ApiProvider, CACHED_TOKENS, type MockApiOptions } from './wire/mock-api.js';
