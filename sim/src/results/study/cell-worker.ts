/** What a worker thread of a study does: runs a scenario on some seeds and hands back what is kept of them. */

export { runRows as default } from './run-row.js';
