import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanProject, type CleanProject, nodeBinary, type NodeMajor, run } from '@svc-audio/kit/hosts'
import { startService } from '@svc-audio/service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectResponses, newApp } from '../test-hosts/support/new-app.ts'
import { SUITE_DEPENDENCIES, suiteFiles } from '../test-hosts/support/suite.ts'

/** Dependencies that `nest new` of Nest 11 installs, without the formatter and the linter. */
const DEPENDENCIES = {
  '@nestjs/cli': '^11.0.0',
  '@nestjs/common': '^11.0.1',
  '@nestjs/core': '^11.0.1',
  '@nestjs/platform-express': '^11.0.1',
  '@nestjs/schematics': '^11.0.0',
  '@nestjs/testing': '^11.0.1',
  '@types/express': '^5.0.0',
  '@types/jest': '^30.0.0',
  '@types/node': '^24.0.0',
  '@types/supertest': '^7.0.0',
  jest: '^30.0.0',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.1',
  'source-map-support': '^0.5.21',
  supertest: '^7.0.0',
  'ts-jest': '^29.2.5',
  'ts-loader': '^9.5.2',
  typescript: '^5.7.3',
}

let project: CleanProject
let app: string

// The app of the CLI is inside the project and uses its node_modules: one install is enough.
beforeAll(async () => {
  project = await cleanProject({
    packages: ['@svc-audio/core', '@svc-audio/nestjs', '@svc-audio/testing'],
    dependencies: { ...DEPENDENCIES, ...SUITE_DEPENDENCIES },
    files: await suiteFiles(),
    node: await nodeBinary(22),
  })
  app = await newApp(project)
})
afterAll(() => project[Symbol.asyncDispose]())

describe.each<NodeMajor>([22, 24])('an app of the Nest 11 CLI, on Node %s', (major) => {
  const inApp = async (program: string, args: readonly string[]) =>
    run(join(project.folder, 'node_modules/.bin', program), args, { cwd: app, node: await nodeBinary(major) })

  test('builds and answers', async () => {
    const built = await inApp('nest', ['build'])
    expect(built).toMatchObject({ exitCode: 0 })
    await expectResponses(app, await nodeBinary(major))
  })

  test('passes its Jest spec', async () => {
    const tested = await inApp('jest', ['--rootDir', app])
    expect(tested).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/Tests: +4 passed, 4 total/) as string })
  })
})

test('the tests of the package pass on Nest 11, with the real service, on Express and on Fastify', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-nest-11-'))
  const apiKeys = new Map([['nest-test-key-0123456789', 'tests']])
  const service = await startService({ dataDir, port: 0, apiKeys, logLevel: 'silent' })
  const tested = await project.run('vitest', ['run', '--reporter=dot'], { NO_COLOR: '1', SERVICE_URL: service.url })
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
  expect(tested).toMatchObject({
    // The output names failed tests.
    stderr: expect.not.stringContaining('FAIL') as string,
    stdout: expect.stringMatching(/Tests\s+\d{3} passed/) as string,
    exitCode: 0,
  })
})

test.each([
  ['commonjs', 'node10'],
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
])('TypeScript compiles it with module %s and moduleResolution %s', async (module, moduleResolution) => {
  const flags = ['--module', module, '--moduleResolution', moduleResolution]
  // node10 does not support the exports map, which the CLI's settings enable.
  const exportsMap = moduleResolution === 'node10' ? ['--resolvePackageJsonExports', 'false'] : []
  const tsc = join(project.folder, 'node_modules/.bin/tsc')
  const strict = ['--strict', '--skipLibCheck', 'false', '--strictPropertyInitialization', 'false']
  const { exitCode, stdout } = await run(tsc, ['--noEmit', '-p', 'tsconfig.json', ...flags, ...exportsMap, ...strict], {
    cwd: app,
  })
  expect(stdout).toBe('')
  expect(exitCode).toBe(0)
})
