export { createFetchClient, type FetchClientOptions } from './client.ts'
export { webClock } from './clock.ts'
export { fetchTransport, type FetchTransportOptions } from './transport.ts'
