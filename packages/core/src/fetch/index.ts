export { AudioClient, createFetchClient, type FetchClientOptions } from './client.ts'
export { fetchTransport, type FetchTransportOptions } from './transport.ts'
export * from '../main.ts'
