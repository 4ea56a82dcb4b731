// Lints the OpenAPI document that the service serves, with the recommended rules of Redocly and of Spectral. Both run as
// libraries: they send nothing, and read nothing from the network.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '@svc-audio/service'
import { lintWithRedocly } from './openapi/redocly.ts'
import { lintWithSpectral } from './openapi/spectral.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-openapi-'))
const service = await startService({ dataDir, port: 0, logLevel: 'silent', openaiApi: true })
const text = await (await fetch(`${service.url}/openapi.json`)).text()
await service.close()
await rm(dataDir, { recursive: true })

const findings = [...(await lintWithRedocly(text)), ...(await lintWithSpectral(text))]
for (const finding of findings) process.stderr.write(`${finding}\n`)
process.stdout.write(`the OpenAPI document, ${findings.length} findings of Redocly and Spectral\n`)
if (findings.length > 0) process.exitCode = 1
