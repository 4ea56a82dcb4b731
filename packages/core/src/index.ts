export { AudioClient, nodeTransport, type NodeTransportOptions } from './node/index.ts'
export * from './main.ts'
