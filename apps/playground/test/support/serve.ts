// Runs the playground in a separate process, as users do, with a key that the test knows.
// Usage: node serve.ts <key> [address of another service]
import { startPlayground } from '../../server/start-playground.ts'

const [apiKey = '', baseUrl = ''] = process.argv.slice(2)
const playground = await startPlayground({ port: 0, apiKey, ...(baseUrl === '' ? {} : { baseUrl }) })
const stop = (): void => void playground.close().then(() => process.exit())
process.once('SIGTERM', stop)
// The test process has ended: stop too.
process.once('disconnect', stop)
// Kills the service as a crash would, without a warning, or freezes it.
process.on('message', (signal: NodeJS.Signals) => {
  const pid = playground.upstream.pid()
  if (pid !== undefined) process.kill(pid, signal)
  process.send?.('sent')
})
process.send?.({ url: playground.url, serviceUrl: playground.upstream.baseUrl })
