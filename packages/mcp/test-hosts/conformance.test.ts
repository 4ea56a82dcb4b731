import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanProject, start } from '@svc-audio/kit/hosts'
import { createTestUpstream } from '@svc-audio/testing'
import { expect, test } from 'vitest'

test("the packed server passes the conformance suite of the protocol's authors, but for the listed scenarios", async () => {
  const upstream = await createTestUpstream()
  try {
    await using project = await cleanProject({
      packages: ['@svc-audio/mcp'],
      dependencies: { '@modelcontextprotocol/conformance': '0.1.16' },
      manifest: { type: 'module' },
      files: { 'expected.yml': await readFile(join(import.meta.dirname, 'conformance.yml'), 'utf8') },
    })
    await using server = await start('node_modules/.bin/svc-audio-mcp', ['--http', '--port', '0'], {
      cwd: project.folder,
      env: { SVC_AUDIO_API_KEY: upstream.apiKey, SVC_AUDIO_BASE_URL: upstream.url },
      ready: /listening on (http:\S+)/,
    })
    const [, url = ''] = server.match
    const { exitCode, stdout } = await project.run('conformance', [
      'server',
      '--url',
      url,
      '--expected-failures',
      'expected.yml',
    ])
    // It fails for a failure that is not listed, and for a listed one that passes.
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('✓ server-initialize')])
    expect(stdout.match(/^✓ /gm)?.length).toBeGreaterThanOrEqual(6)
  } finally {
    await upstream.close()
  }
})
