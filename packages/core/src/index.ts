export { AudioClient } from './node/client.ts'
export { nodeTransport, type NodeTransportOptions } from './node/transport.ts'
export * from './main.ts'
