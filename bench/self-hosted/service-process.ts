import { startService } from '@svc-audio/service'
import { BENCH_KEY } from './bench-key.ts'
import { tellCosts } from './tell-costs.ts'

/** Process entry: the self-hosted service on the folder in its argument, as `pnpm service` starts it. */
const [, , dataDir = ''] = process.argv
const { url } = await startService({ dataDir, port: 0, apiKeys: new Map([[BENCH_KEY, 'bench']]), openaiApi: true })
tellCosts({ origin: url })
