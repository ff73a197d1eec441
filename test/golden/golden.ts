/** What the golden logs and their tests share: the master key, and how the money of a venue is written down. */

/** Seals the secrets of the keys in the golden logs. It protects nothing: those secrets are in scenario.ts. */
export const MASTER_KEY = '601d'.repeat(16);

/** What the venue holds of each currency, and where. */
export type Money = Readonly<Record<string, { accounts: string; fees: string; insurance: string }>>;

/** From the reply to `GET /audit`; currencies without deposits are left out. */
export function moneyOf(audit: Readonly<Record<string, unknown>>): Money {
  const lines = Object.entries(audit.currencies as Record<string, Record<string, string>>);
  return Object.fromEntries(
    lines
      .filter(([, { deposits }]) => deposits !== '0')
      .map(([code, { accounts, fees, insurance }]) => [code, { accounts, fees, insurance }]),
  );
}
