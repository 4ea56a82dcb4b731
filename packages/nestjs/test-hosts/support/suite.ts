import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const PACKAGE = join(import.meta.dirname, '../..')
const BEHAVIOUR = join(PACKAGE, '../../kit/behaviour')

/** Dependencies of the tests besides those of an app of the CLI. */
export const SUITE_DEPENDENCIES: Readonly<Record<string, string>> = {
  '@nestjs/microservices': '^11.0.1',
  '@nestjs/platform-fastify': '^11.0.1',
  '@nestjs/platform-ws': '^11.0.1',
  '@nestjs/swagger': '^11.0.0',
  '@nestjs/terminus': '^11.0.0',
  '@nestjs/websockets': '^11.0.1',
  'class-transformer': '^0.5.1',
  'class-validator': '^0.15.1',
  vitest: '^5.1.0',
  zod: '^4.6.7',
}

/** Tests that need Nest 12, and the test that compiles misuses with the compiler of this repository. */
const LEFT_OUT = new Set(['fastify-multipart.test.ts', 'misuses.test.ts'])

/** Stands for `startService`: the service runs outside the project, which cannot install it. */
const SERVICE = `
export interface RunningService { readonly url: string; close(): Promise<void> }
export async function startService(_options: object): Promise<RunningService> {
  return { url: process.env['SERVICE_URL'] ?? '', close: async () => {} }
}
`

const CONFIG = `
export default {
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: { testTimeout: 60_000, include: ['test/**/*.test.ts'] },
}
`

/** Returns the tests of the package for a project that has it installed: path to content. */
export async function suiteFiles(): Promise<Record<string, string>> {
  const files: Record<string, string> = { 'vitest.config.mjs': CONFIG }
  for (const path of globSync('test/**/*.{ts,js}', { cwd: PACKAGE })) {
    if (LEFT_OUT.has(path.slice('test/'.length))) continue
    const text = await readFile(join(PACKAGE, path), 'utf8')
    const ours = text
      .replace("'@svc-audio/service'", "'./support/service.ts'")
      .replace("'@svc-audio/kit/behaviour'", "'./support/behaviour/index.ts'")
    files[path] = ours.replaceAll(/'(?:\.\.\/)+src\/(?:(?<entry>\w+)\/)?index\.ts'/g, (_match, entry?: string) =>
      entry === undefined ? "'@svc-audio/nestjs'" : `'@svc-audio/nestjs/${entry}'`,
    )
  }
  for (const path of globSync('*.ts', { cwd: BEHAVIOUR })) {
    files[`test/support/behaviour/${path}`] = await readFile(join(BEHAVIOUR, path), 'utf8')
  }
  // The tests are ES modules. The app of the CLI has its own package.json.
  files['test/support/service.ts'] = SERVICE
  files['test/package.json'] = '{ "type": "module" }\n'
  return files
}
