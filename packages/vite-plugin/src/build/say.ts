import type { ResolvedConfig } from 'vite'
import type { Say } from './build-costs.ts'

/**
 * Prints to the logger of a build. Some frameworks log warnings only: lines about costs are printed at the lowest level that
 * the logger prints.
 */
export function sayTo({ logger, logLevel = 'info' }: Pick<ResolvedConfig, 'logger' | 'logLevel'>): Say {
  return (line, isCost) => {
    if (!isCost || logLevel === 'info') logger.info(line)
    else if (logLevel === 'warn') logger.warn(line)
    else if (logLevel === 'error') logger.error(line)
  }
}
