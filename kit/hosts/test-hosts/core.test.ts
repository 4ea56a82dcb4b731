import { describe, expect, test } from 'vitest'
import { cleanProject, nodeBinary, type NodeMajor } from '@svc-audio/kit/hosts'

const PROGRAM = `
import { AudioClient } from '@svc-audio/core'
const client = new AudioClient({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9' })
await client.models.list({ maxRetries: 0 }).catch((error) => console.log(process.version, error.name))
await client.close()
`

describe.each<NodeMajor>([22, 24, 26])('Node %s', (major) => {
  test('the packed client runs in a clean project', async () => {
    const node = await nodeBinary(major)
    await using project = await cleanProject({
      packages: ['@svc-audio/core'],
      manifest: { type: 'module' },
      files: { 'main.js': PROGRAM },
      node,
    })
    const { exitCode, stdout, stderr } = await project.run('node', ['main.js'])
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`^v${major}\\..* ConnectionError\n$`))
  })
})
