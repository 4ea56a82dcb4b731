export { createFetchClient, type FetchClientOptions } from './client.ts'
export { fetchTransport, type FetchTransportOptions } from './transport.ts'
export { AudioClient } from '../web/client.ts'
export * from '../main.ts'
