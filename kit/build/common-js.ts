import { readFileSync } from 'node:fs'
import type { RolldownOptions } from 'rolldown'
import { declarations } from './declarations.ts'
import { licenses } from './licenses.ts'

/** Folder of the CommonJS build. A `package.json` with `commonjs` lets the files keep `.js` and `.d.ts`. */
const FOLDER = 'dist/cjs'

/** Options of {@link commonJs}. */
export interface CommonJsOptions {
  /** Maps each output name without extension, such as `index`, to its source file. */
  readonly entries: Readonly<Record<string, string>>
  /** Dependencies without CommonJS. The build bundles them. @default none */
  readonly bundled?: readonly string[]
}

/**
 * Builds a package for `require()` into `dist/cjs`, with types and the licenses of bundled dependencies. Run it after
 * `tsc`, in the package's folder.
 *
 * Dynamic imports become `require()`, because Jest runs CommonJS in a context without `import()`.
 */
export function commonJs({ entries, bundled = [] }: CommonJsOptions): RolldownOptions {
  const manifest: Partial<Record<'dependencies' | 'peerDependencies', Record<string, string>>> = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  const external = dependencies.filter((name) => !bundled.includes(name))
  return {
    input: { ...entries },
    external: (id) => id.startsWith('node:') || external.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: 'node',
    plugins: [declarations('dist', FOLDER, Object.keys(entries)), licenses()],
    output: {
      dir: FOLDER,
      format: 'cjs',
      exports: 'named',
      dynamicImportInCjs: false,
      chunkFileNames: 'shared/[name].js',
    },
  }
}
