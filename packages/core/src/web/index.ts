export { AudioClient } from './client.ts'
export { nodeTransport } from './node-transport.ts'
export * from '../main.ts'
