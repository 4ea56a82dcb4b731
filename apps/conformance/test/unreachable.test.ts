import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

test('an unreachable server prints one line with --base-url and exits with 2', async () => {
  // A port that was just free: nothing listens on it.
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  server.close()
  await once(server, 'close')

  const { code, stdout, stderr } = await conformance('--base-url', url, '--key', 'some-key')

  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toMatch(new RegExp(`^--base-url ${url} does not answer: .*ECONNREFUSED.*\\n$`))
})

function conformance(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}
