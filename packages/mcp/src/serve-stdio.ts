import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createSpeechServer, type SpeechServerOptions } from './create-speech-server.ts'

/**
 * Serves one client over standard input and output, until it closes them. Nothing else may write to standard output. The
 * client started this process, so `clientRoots` is true unless the options say otherwise.
 * @returns Resolves when the client has closed its side; calls in flight are aborted then.
 * @throws ConfigurationError naming the option
 */
export async function serveStdio(options: SpeechServerOptions): Promise<void> {
  const server = createSpeechServer({ clientRoots: true, ...options })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has a property, and no addEventListener
  server.onclose = resolve
  const end = (): void => {
    server.close().then(resolve, resolve)
  }
  // The SDK's transport does not close itself at the end of the input.
  process.stdin.once('end', end).once('close', end)
  await server.connect(new StdioServerTransport())
  await closed
}
