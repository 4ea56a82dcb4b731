import { join } from 'node:path'
import {
  Application,
  LogLevel,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  type TypeDocOptions,
} from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import { apiEntries, type ApiEntry } from './api-entries.ts'

/** Form of the pages. */
const PAGES: Partial<PluginOptions> = {
  outputFileStrategy: 'members',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  entryFileName: 'index',
  useCodeBlocks: true,
  expandObjects: false,
  parametersFormat: 'table',
  propertiesFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  enumMembersFormat: 'table',
}

/** What needs a docstring. A setter says what its getter says. */
const DOCUMENTED: NonNullable<TypeDocOptions['requiredToBeDocumented']> = [
  'Class',
  'Enum',
  'EnumMember',
  'Function',
  'GetSignature',
  'Interface',
  'Method',
  'Property',
  'TypeAlias',
  'Variable',
]

/**
 * Writes the reference of every package as Markdown pages.
 *
 * @param root Root of the repository
 * @param out Folder of the pages: `<out>/<package>/…`
 * @throws Error after the warnings of typedoc: a member without a word, a type that no entry exports, a link that leads nowhere
 */
export async function writeApiReference(root: string, out: string): Promise<void> {
  const entries = apiEntries(root)
  for (const entry of entries) {
    const { app, project } = await readDocstrings(entry, entries, join(out, entry.route))
    await app.generateOutputs(project)
  }
}

/**
 * Checks the docstrings of every package, and writes nothing.
 * @throws Error as {@link writeApiReference}
 */
export async function checkDocstrings(root: string): Promise<void> {
  const entries = apiEntries(root)
  for (const entry of entries) await readDocstrings(entry, entries)
}

/** Reads and checks one package. @param out Folder of its pages */
async function readDocstrings(
  { title, entries, tsconfig, unnamed }: ApiEntry,
  all: readonly ApiEntry[],
  out = '',
): Promise<{ readonly app: Application; readonly project: ProjectReflection }> {
  const options: Partial<PluginOptions> = PAGES
  const app = await Application.bootstrapWithPlugins({
    name: title,
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...entries],
    tsconfig,
    out,
    readme: 'none',
    disableSources: true,
    excludePrivate: true,
    excludeInternal: true,
    // Members of `Error` and of Node's types.
    excludeExternals: true,
    // The build of the packages has checked the types.
    skipErrorChecking: true,
    excludeProtected: true,
    intentionallyNotExported: [...unnamed],
    // A link to a type of another package leads to the reference of that package.
    externalSymbolLinkMappings: Object.fromEntries(
      all.filter((other) => other.title !== title).map((other) => [other.title, { '*': `/api/${other.route}/` }]),
    ),
    validation: { notExported: true, invalidLink: true, notDocumented: true },
    requiredToBeDocumented: DOCUMENTED,
    logLevel: LogLevel.Warn,
    ...options,
  })
  const project = await app.convert()
  if (project === undefined) throw new Error(`typedoc cannot read ${title}`)
  app.options.setValue('intentionallyNotDocumented', tagsOf(project))
  app.validate(project)
  if (app.logger.hasWarnings()) throw new Error(`The docstrings of ${title} have the faults above`)
  return { app, project }
}

/** Tags of unions such as `type: 'pause'`: the value says what it means, and the docstring of the member says the rest. */
function tagsOf(project: ProjectReflection): string[] {
  const tags = project
    .getReflectionsByKind(ReflectionKind.Property)
    .filter((one) => one.isDeclaration() && one.type?.type === 'literal' && !one.hasComment())
    .filter((one) => one.parent?.kindOf(ReflectionKind.TypeLiteral) === true && !isInParameter(one))
    // Other packages document theirs.
    .filter((one) => project.getSymbolIdFromReflection(one)?.packageName === project.packageName)
  return [...new Set(tags.map((one) => one.getFriendlyFullName()))]
}

function isInParameter({ parent }: Reflection): boolean {
  return parent !== undefined && (parent.kindOf(ReflectionKind.Parameter) || isInParameter(parent))
}
