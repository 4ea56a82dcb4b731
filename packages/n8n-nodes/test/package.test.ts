import { execFile } from 'node:child_process'
import { appendFile, cp, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Engine, outputOf, PACKAGE_FOLDER, startEngine } from './support/engine.ts'
import { packInto } from '../test-n8n/pack.ts'
import { speech } from './support/parameters.ts'
import { KEY, startTestService, type TestService } from './support/scripted.ts'

interface Scanner {
  readonly SOURCE_FILE_PATTERNS: string[]
  analyzePackage(folder: string, patterns: string[]): Promise<{ passed: boolean; message?: string; details?: string }>
}

const require = createRequire(import.meta.url)
/** What n8n's review scans of a published package. */
const PUBLISHED_PATTERNS = ['**/*.js', 'package.json']
const NODE_FILE = 'dist/nodes/SvcAudio/SvcAudio.node.js'

/** A folder in which nothing can be required but the packed package and n8n-workflow. */
let folder: string
/** The packed package in it. */
let packed: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-audio-n8n-package-')))
  packed = join(folder, 'node_modules/n8n-nodes-svc-audio')
  await packInto(packed)
  await symlink(
    await realpath(join(PACKAGE_FOLDER, 'node_modules/n8n-workflow')),
    join(folder, 'node_modules/n8n-workflow'),
  )
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe("n8n's scanner", () => {
  let scanner: Scanner

  beforeAll(() => {
    // Its rules hold their own tests for the only reason to set this to `test`: they then take any file for a node.
    vi.stubEnv('NODE_ENV', 'production')
    // It makes a temporary folder when it is loaded, and leaves it.
    vi.stubEnv('TMPDIR', folder)
    scanner = require('@n8n/scan-community-package/scanner/scanner.mjs')
  })

  afterAll(() => {
    vi.unstubAllEnvs()
  })

  test('finds no error in the sources', async () => {
    expect(await scanner.analyzePackage(PACKAGE_FOLDER, scanner.SOURCE_FILE_PATTERNS)).toEqual({ passed: true })
  })

  test('finds no error in what is published', async () => {
    expect(await scanner.analyzePackage(packed, PUBLISHED_PATTERNS)).toEqual({ passed: true })
  })

  test('does find what is not allowed', async () => {
    const spoilt = join(folder, 'spoilt')
    await cp(packed, spoilt, { recursive: true })
    await appendFile(join(spoilt, NODE_FILE), 'setTimeout(() => {}, 1)\n')
    const { passed, details } = await scanner.analyzePackage(spoilt, PUBLISHED_PATTERNS)
    expect(passed).toBe(false)
    expect(details).toContain('no-restricted-globals')
  })
})

describe('the packed package', () => {
  test('the packed package holds what n8n reads, and no more', async () => {
    const files = await readdir(packed, { recursive: true, withFileTypes: true })
    const paths = files.filter((file) => file.isFile() && !file.name.endsWith('.tgz'))
    expect(paths.map((file) => join(file.parentPath, file.name).slice(packed.length + 1)).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'dist/credentials/SvcAudioApi.credentials.js',
      'dist/icons/svc-audio.dark.svg',
      'dist/icons/svc-audio.svg',
      'dist/nodes/SvcAudio/SvcAudio.node.js',
      'dist/nodes/SvcAudio/SvcAudio.node.json',
      'dist/nodes/SvcAudioTrigger/SvcAudioTrigger.node.js',
      'dist/nodes/SvcAudioTrigger/SvcAudioTrigger.node.json',
      'dist/shared/run-items.js',
      'examples/chat-with-a-voice-file.json',
      'examples/meeting-notes.json',
      'examples/minutes-and-subtitles.json',
      'examples/podcast-from-articles.json',
      'examples/speak-and-listen.json',
      'examples/voice-agent-tool.json',
      'examples/voice-note-reply.json',
      'examples/wait-for-a-task.json',
      'package.json',
    ])
  })

  test('the packed package has no dependency but the n8n-workflow of n8n itself', async () => {
    const manifest = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8'))
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('devDependencies')
    expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' })
    const files = await readdir(join(packed, 'dist'), { recursive: true })
    const scripts = files.filter((file) => file.endsWith('.js'))
    const code = (await Promise.all(scripts.map((file) => readFile(join(packed, 'dist', file), 'utf8')))).join('\n')
    const required = [...code.matchAll(/require\("([^"]+)"\)/g)].flatMap(([, name = '']) =>
      name.startsWith('.') ? [] : [name],
    )
    expect(new Set(required)).toEqual(new Set(['n8n-workflow']))
  })

  test('the packed package loads in a process that can require nothing else', async () => {
    const { credentials, nodes } = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8')).n8n
    const lines = [...credentials, ...nodes].map((file: string) => {
      return `console.log(Object.keys(require('n8n-nodes-svc-audio/${file}')).join())`
    })
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', lines.join('\n')], { cwd: folder, env: {} })
    expect(stdout.trim().split('\n')).toEqual(['SvcAudioApi', 'SvcAudio', 'SvcAudioTrigger'])
  })

  describe('in the workflow engine', () => {
    let service: TestService
    let engine: Engine

    beforeAll(async () => {
      service = await startTestService()
      engine = await startEngine({ apiKey: KEY, baseUrl: service.url }, 'filesystem', packed)
    })

    afterAll(async () => {
      await engine?.close()
      await service?.close()
    })

    test('speaks', async () => {
      const [item] = outputOf(await engine.run([{ name: 'Speak', parameters: speech({ text: 'Hello.' }) }]), 'Speak')
      expect((await engine.bytesOf(item, 'data')).toString('latin1', 0, 4)).toBe('RIFF')
      expect(item?.json['durationSeconds']).toBeGreaterThan(0.2)
    })
  })
})
