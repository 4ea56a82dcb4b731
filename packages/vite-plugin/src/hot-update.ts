import type { EnvironmentModuleNode, HotUpdateOptions } from 'vite'
import { parseModuleId } from './request/module-id.ts'
import { parseNarrationRequest } from './request/narration-request.ts'
import { extractText } from './text/extract-text.ts'

/**
 * What an edit updates: the modules of the file, and its narrations where they now say something else. An edit of code
 * or front matter leaves the page alone.
 * @param update The edit.
 * @param narrations Narration modules of the edited file that are loaded.
 * @param lastText What a module said when it was last loaded.
 */
export async function updatedModules(
  { modules, read }: Pick<HotUpdateOptions, 'modules' | 'read'>,
  narrations: readonly EnvironmentModuleNode[],
  lastText: (id: string) => string | undefined,
): Promise<EnvironmentModuleNode[]> {
  const updated = new Set(modules)
  for (const module of narrations) {
    updated.delete(module)
    const { file, query } = parseModuleId(module.id ?? '') ?? { file: '', query: '' }
    const before = lastText(module.id ?? '')
    const { kind } = parseNarrationRequest(file, query)
    if (before === undefined || extractText(await read(), kind) !== before) updated.add(module)
  }
  return [...updated]
}
