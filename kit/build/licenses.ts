import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/** Writes the licenses of bundled dependencies beside the code, as the licenses require. */
export function licenses(): Plugin {
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const folders = new Set<string>()
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue
        for (const id of file.moduleIds) if (id.includes('/node_modules/')) folders.add(packageFolder(id))
      }
      if (folders.size === 0) return
      const texts = [...folders].map(licenseText)
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source: `${texts.toSorted().join('\n\n')}\n` })
    },
  }
}

function packageFolder(id: string): string {
  let folder = dirname(id)
  while (!isPackage(folder)) folder = dirname(folder)
  return folder
}

/** Finds the package root. Inner folders may have a `package.json` without a name, for the module format. */
function isPackage(folder: string): boolean {
  const path = join(folder, 'package.json')
  return existsSync(path) && readManifest(folder).name !== undefined
}

function readManifest(folder: string): { readonly name?: string; readonly license?: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** @throws Error for a package without a license file */
function licenseText(folder: string): string {
  const { name = '', license = '' } = readManifest(folder)
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder })
  if (file === undefined) throw new Error(`${name} has no license file, so it cannot be bundled`)
  return `${name} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}`
}
