export { AudioClient, type AudioClientOptions } from './node/client.ts'
export { nodeTransport, type NodeTransportOptions } from './node/transport.ts'
export * from './pure.ts'
export * from './text/index.ts'
