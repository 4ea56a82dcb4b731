export { AudioClient } from './client.ts'
export type { FileSink } from './files.ts'
export { nodeTransport, type NodeTransportOptions } from './transport.ts'
