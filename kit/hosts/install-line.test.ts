import { expect, test } from 'vitest'
import { installLine, readInstallCommand } from './install-line.ts'

const PACKAGES = new Map([
  ['@svc-audio/core', { tarball: '/t/core.tgz', needs: ['@svc-audio/text', 'undici'] }],
  ['@svc-audio/text', { tarball: '/t/text.tgz', needs: ['markdown-it'] }],
  ['@svc-audio/mcp', { tarball: '/t/mcp.tgz', needs: ['@svc-audio/core'] }],
])

test('names of ours become tarballs, with the tarballs that they need', () => {
  const readme = '# x\n\n```sh\nnpm install @svc-audio/core express\n```\n'
  expect(installLine('@svc-audio/core', readme, PACKAGES)).toBe('npm install /t/core.tgz /t/text.tgz express')
})

test('an option of the command stays', () => {
  const readme = 'npm install --save-dev @svc-audio/text\n'
  expect(installLine('@svc-audio/text', readme, PACKAGES)).toBe('npm install /t/text.tgz --save-dev')
})

test('a README without the command installs the package', () => {
  expect(readInstallCommand('npx @svc-audio/mcp')).toBeUndefined()
  expect(installLine('@svc-audio/mcp', 'npx @svc-audio/mcp', PACKAGES)).toBe(
    'npm install /t/mcp.tgz /t/core.tgz /t/text.tgz',
  )
})

test('a package that is not packed is an error that lists the others', () => {
  expect(() => installLine('@svc-audio/cores', '', PACKAGES)).toThrow(
    '@svc-audio/cores is no published package: @svc-audio/core, @svc-audio/text, @svc-audio/mcp',
  )
})
