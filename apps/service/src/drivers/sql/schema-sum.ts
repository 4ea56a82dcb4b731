import { hash } from 'node:crypto'

/**
 * Identifies the statements of a schema, whatever their comments and spaces. A database stores it: tables that other
 * statements have made are refused.
 * @returns 16 hexadecimal digits
 */
export function sumOf(statements: readonly string[]): string {
  const plain = statements.map((statement) => statement.replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ').trim())
  return hash('sha256', JSON.stringify(plain)).slice(0, 16)
}
