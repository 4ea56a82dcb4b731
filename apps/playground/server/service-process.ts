// Runs the service in a process of its own. The parent sends the options, so the key is in no argument and no
// environment variable. Usage: fork('service-process.ts')
import { once } from 'node:events'
import { startService } from '@svc-audio/service'
import type { ServiceProcessOptions } from './upstream.ts'

// Ctrl+C reaches every process of the terminal. The parent decides when this one stops.
process.on('SIGINT', () => {})
const disconnected = once(process, 'disconnect')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parent is embedded-service.ts of the same version
const [{ apiKey, ...options }] = (await once(process, 'message')) as [ServiceProcessOptions]
const service = await startService({ ...options, openaiApi: true, apiKeys: new Map([[apiKey, 'playground']]) })
process.send?.({ url: service.url })
await disconnected
await service.close()
process.exit()
