// The playground in a process of its own, as users run it, with a key that the test knows.
// Usage: node serve.ts <key>
import { startPlayground } from '../../server/start-playground.ts'

const [apiKey = ''] = process.argv.slice(2)
const playground = await startPlayground({ port: 0, apiKey })
const stop = (): void => void playground.close().then(() => process.exit())
process.once('SIGTERM', stop)
// The test is gone: so should this be.
process.once('disconnect', stop)
process.send?.({ url: playground.url, serviceUrl: playground.serviceUrl })
