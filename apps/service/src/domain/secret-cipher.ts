import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts the secrets that the database stores. */
export interface SecretCipher {
  /** Encrypts a value for the row of a name. */
  seal(name: string, value: string): string
  /**
   * Decrypts a value. Returns a value that is not sealed as it is: `import` stores it so, until a start seals it.
   * @throws WrongSecretKeyError when another key sealed it, or for another name
   */
  unseal(name: string, value: string): string
}

/** The secrets were sealed with another key. */
export class WrongSecretKeyError extends Error {
  override readonly name = 'WrongSecretKeyError' as const

  constructor(options?: ErrorOptions) {
    super(
      'The stored secrets were sealed with another key: restore the file secret.key from the backup, or set SVC_AUDIO_SECRET_KEY to its former value',
      options,
    )
  }
}

const MARK = 'sealed:1:'
const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Whether a stored value is sealed. */
export function isSealed(value: string): boolean {
  return value.startsWith(MARK)
}

/**
 * Makes the cipher of a key: AES-256-GCM, bound to the name of the secret.
 * @param key Long and random; of any length.
 */
export function createSecretCipher(key: string): SecretCipher {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'svc-audio secrets', 32))
  return {
    seal(name, value) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, derived, iv).setAAD(Buffer.from(name))
      const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return MARK + sealed.toString('base64url')
    },
    unseal(name, value) {
      if (!isSealed(value)) return value
      const sealed = Buffer.from(value.slice(MARK.length), 'base64url')
      try {
        const decipher = createDecipheriv(ALGORITHM, derived, sealed.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        })
        decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(-TAG_BYTES))
        return decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch (error) {
        throw new WrongSecretKeyError({ cause: error })
      }
    },
  }
}
