/** The mock as handlers of msw 2, for tests in one process: `@tidegate/providers-mock/msw`. Needs the peer `msw`. */

export type { MockClock } from './adapters/clock.js';
export { createMock, handlers, type MswMock, type MswMockOptions } from './adapters/msw-handlers.js';
export { profileApi } from './adapters/profile-api.js';
export type { ApiLedger, ApiProvider } from './wire/mock-api.js';
