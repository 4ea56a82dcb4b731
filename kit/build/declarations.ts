import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Plugin } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'

/** The package's copy of `@svc-audio/options`, which `own-options.ts` makes. */
const OPTIONS = 'option-checks/index.d.ts'

/**
 * Copies the declarations of `tsc` that the entries reach. The others would only double the size of their types. The
 * nearest `package.json` decides the module format of a declaration.
 *
 * @param from Folder of the declarations.
 * @param to Folder of the CommonJS build, inside `from`.
 * @param entries Names of the entries, without extension.
 */
export function declarations(from: string, to: string, entries: readonly string[]): Plugin {
  return {
    name: 'declarations',
    writeBundle() {
      for (const path of globSync('**/*.d.ts', { cwd: to })) rmSync(join(to, path))
      const reached = reachedDeclarations(
        entries.map((name) => join(from, `${name}.d.ts`)),
        from,
      )
      for (const path of reached) {
        const target = join(to, relative(from, path))
        mkdirSync(dirname(target), { recursive: true })
        // The nearest manifest of the build has no imports.
        const options = relative(dirname(path), join(from, OPTIONS)).replace(/[.]d[.]ts$/, '.js')
        const own = options.startsWith('.') ? options : `./${options}`
        writeFileSync(target, readFileSync(path, 'utf8').replaceAll("'#options'", `'${own}'`))
      }
      writeFileSync(join(to, 'package.json'), '{ "type": "commonjs" }\n')
    },
  }
}

/**
 * The declarations that these ones import from files beside them, with these ones and those of `#options`.
 * @param root Folder of all declarations.
 * @throws Error for a missing file
 */
export function reachedDeclarations(entries: readonly string[], root: string): ReadonlySet<string> {
  // A set that grows while it is read gives its new members too.
  const reached = new Set(entries)
  for (const path of reached) {
    for (const source of importsOf(path)) {
      if (source === '#options') reached.add(join(root, OPTIONS))
      if (source.startsWith('.')) reached.add(join(dirname(path), source.replace(/\.[jt]s$/, '.d.ts')))
    }
  }
  return reached
}

function importsOf(path: string): readonly string[] {
  const { program } = parseSync(path, readFileSync(path, 'utf8'), { lang: 'dts' })
  const sources: string[] = []
  new Visitor({
    ImportDeclaration: ({ source }) => void sources.push(source.value),
    ExportAllDeclaration: ({ source }) => void sources.push(source.value),
    ExportNamedDeclaration: ({ source }) => void (source !== null && sources.push(source.value)),
    TSImportType: ({ source }) => void sources.push(source.value),
  }).visit(program)
  return sources
}
