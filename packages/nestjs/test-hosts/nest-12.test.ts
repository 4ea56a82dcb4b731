import { join } from 'node:path'
import { cleanProject, type CleanProject, nodeBinary, type NodeMajor, run } from '@svc-audio/kit/hosts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectResponses, newApp } from './support/new-app.ts'

/** Dependencies that `nest new` of Nest 12 installs, without the formatter, the linter and the deployment tool. */
const DEPENDENCIES = {
  '@nestjs/cli': '^12.0.0',
  '@nestjs/common': '^12.0.1',
  '@nestjs/core': '^12.0.1',
  '@nestjs/platform-express': '^12.0.1',
  '@nestjs/schematics': '^12.0.0',
  '@nestjs/testing': '^12.0.1',
  '@types/express': '^5.0.0',
  '@types/node': '^24.0.0',
  '@types/supertest': '^7.0.0',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.1',
  'source-map-support': '^0.5.21',
  supertest: '^7.0.0',
  typescript: '^6.0.2',
  'vite-tsconfig-paths': '^5.1.4',
  vitest: '^4.1.2',
}

let project: CleanProject
let app: string
beforeAll(async () => {
  project = await cleanProject({
    packages: ['@svc-audio/core', '@svc-audio/nestjs', '@svc-audio/testing'],
    dependencies: DEPENDENCIES,
    node: await nodeBinary(24),
  })
  app = await newApp(project, { extensions: true })
})
afterAll(() => project[Symbol.asyncDispose]())

describe.each<NodeMajor>([24, 26])('an app of the Nest 12 CLI, which has ES modules, on Node %s', (major) => {
  const inApp = async (program: string, args: readonly string[]) =>
    run(join(project.folder, 'node_modules/.bin', program), args, {
      cwd: app,
      node: await nodeBinary(major),
      env: { NO_COLOR: '1', FORCE_COLOR: '0' },
    })

  test('builds and answers', async () => {
    expect(await inApp('nest', ['build'])).toMatchObject({ exitCode: 0 })
    await expectResponses(app, await nodeBinary(major))
  })

  test('passes its Vitest spec', async () => {
    const tested = await inApp('vitest', ['run'])
    expect(tested).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Tests +4 passed/) as string })
  })
})
