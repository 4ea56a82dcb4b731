// Builds an MCPB bundle: the server in one file with everything that it imports, and a manifest for a form with its
// settings. Chat applications install it by opening it.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { packExtension } from '@anthropic-ai/mcpb'
import { rolldown } from 'rolldown'
import { bundleManifest, type PackageManifest } from './bundle-manifest.ts'

const PACKAGE = join(import.meta.dirname, '..')

/** @param output Path of the bundle. */
async function buildBundle(output: string): Promise<void> {
  const manifest: PackageManifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-mcpb-'))
  try {
    await mkdir(join(folder, 'server'))
    const bundle = await rolldown({ input: join(PACKAGE, 'dist/main.js'), platform: 'node' })
    await bundle.write({ file: join(folder, 'server/main.js'), format: 'esm', minify: true, codeSplitting: false })
    await bundle.close()
    const { name, version } = manifest
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version, type: 'module' }))
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(bundleManifest(manifest), null, 2))
    if (!(await packExtension({ extensionPath: folder, outputPath: output, silent: true }))) {
      throw new Error('The bundle was refused: see above')
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const output = resolve(process.argv[2] ?? join(PACKAGE, 'svc-audio.mcpb'))
await buildBundle(output)
process.stdout.write(`${output}\n`)
