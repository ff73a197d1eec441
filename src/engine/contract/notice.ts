/** What an operator should read, and how urgent it is: `warn` wants a look, `error` wants a hand. */
export type NoticeLevel = 'info' | 'warn' | 'error';

/** Called with each notice; `info` unless a level is given. Must not throw. */
export type OnNotice = (text: string, level?: NoticeLevel) => void;
