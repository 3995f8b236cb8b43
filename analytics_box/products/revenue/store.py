"""Reports of providers as rows of transactions. Several events report one payment, in any order: the first one stores
it, and those that follow add what they know."""

import json
from typing import Final

from analytics_box.base.clock import HOUR
from analytics_box.base.facts.event import Payment, Provider
from analytics_box.base.facts.layout import STORED_ATTRIBUTES, stored_table
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import EMPTY, Strings
from analytics_box.ingest import payments
from analytics_box.ingest.payments import digest
from analytics_box.products.revenue.reports import PaymentReport

_TABLE: Final = stored_table(payments.TABLE)
# An invoice and the charge that pays it, or a refund and the charge's total of refunds, arrive within this time.
_NEAR: Final = HOUR
_INVOICE: Final = "in_"
_PAID = ("sale", "subscription")


class ReportStore:
    """Stores the reports of one provider of a website. All of it runs in the writer thread, in one transaction."""

    def __init__(self, db: Connection, strings: Strings, provider: Provider, site: int, customer: int) -> None:
        self._db, self._strings, self._provider, self._site = db, strings, provider, site
        self._customer = customer

    def store(self, report: PaymentReport, visitor: int) -> None:
        """Store a report, or add what it knows to the row of its payment. `visitor` is the id that its clues name."""
        ids = [digest(self._site, self._provider, one) for one in report.ids]
        if report.status == "completed" and report.type in _PAID:
            row = self._payment_with(ids) or self._near_payment(report)
            if row:
                self._add(row, report, ids, visitor)
                return
        elif report.type == "refund":
            if report.total:
                self._store_rest(report, ids, visitor)
                return
            if self._adopt_refund(report, ids):
                return
        self._insert(report, ids, visitor)

    def _insert(self, report: PaymentReport, ids: list[int], visitor: int) -> None:
        strings, clues = self._strings, report.clues
        paid = report.status == "completed" and report.type in _PAID
        reference = ids[-1] if paid and ids else digest(self._site, self._provider, f"{report.type} {report.id}")
        payment = Payment(
            self._provider,
            report.type,
            report.status,
            report.currency,
            report.amount,
            report.id,
            reference,
            payment=ids[0] if ids else 0,
            customer=self._customer,
            subscription=digest(self._site, f"{self._provider} subscription", report.subscription),
            verified=True,
            lifecycle=report.lifecycle,
            product_id=report.product_id,
            product_name=report.product_name,
            failure_reason=report.failure_reason,
        )
        session, person = strings.named(self._db, clues.session), strings.named(self._db, clues.person)
        who_and_where = (self._site, report.time, visitor, 0, session, person, EMPTY, EMPTY)
        payments.store(self._db, strings, payment, who_and_where, (EMPTY,) * len(STORED_ATTRIBUTES))

    def _payment_with(self, ids: list[int]) -> int:
        """The row of the payment that has one of these ids; 0 if there is none."""
        row = self._db.execute(
            f"""
            -- revenue.payment_with
            select id from {_TABLE}
            where site = :site and amount > 0 and payment_status = :completed and payment_type in (:sale, :subscription)
              and (reference in (select value from json_each(:ids)) or payment in (select value from json_each(:ids)))
            limit 1
            """,
            {"site": self._site, "ids": json.dumps(ids), **self._words()},
        ).fetchone()
        return 0 if row is None else int(str(row[0]))

    def _near_payment(self, report: PaymentReport) -> int:
        """The row of a charge that pays this invoice, or of the invoice that this charge pays: the same amount of the
        same customer, at about the same time, where none of both names the other."""
        if not self._customer or self._provider != "stripe":
            return 0
        row = self._db.execute(
            f"""
            -- revenue.near_payment
            select {_TABLE}.id from {_TABLE} join strings on strings.id = transaction_id
            where site = :site and customer = :customer and time between :first and :last and amount = :amount
              and currency = :currency and payment_status = :completed and payment_type in (:sale, :subscription)
              and iif(:is_invoice, lifecycle = 0 and not value glob 'in_*', payment = reference and value glob 'in_*')
            order by abs(time - :time) limit 1
            """,
            {
                **{"site": self._site, "customer": self._customer, "amount": report.amount, "time": report.time},
                **{"first": report.time - _NEAR, "last": report.time + _NEAR},
                **{"currency": self._strings.number(self._db, report.currency)},
                **{"is_invoice": int(report.id.startswith(_INVOICE))},
                **self._words(),
            },
        ).fetchone()
        return 0 if row is None else int(str(row[0]))

    def _words(self) -> dict[str, int]:
        number = self._strings.number
        return {word: number(self._db, word) for word in ("completed", "refund", *_PAID)}

    def _add(self, row: int, report: PaymentReport, ids: list[int], visitor: int) -> None:
        """Add what a report knows to the row of its payment. Nothing that is known is replaced but a plain sale."""
        db, strings = self._db, self._strings
        texts = {"product_id": report.product_id, "product_name": report.product_name, "lifecycle": report.lifecycle}
        numbers = {name: strings.number(db, text) for name, text in texts.items() if text}
        numbers |= {"customer": self._customer} if self._customer else {}
        if report.clues.session:
            numbers["client_session"] = strings.named(db, report.clues.session)
        if report.clues.person:
            numbers["profile"] = strings.named(db, report.clues.person)
        if visitor:
            numbers["visitor"] = visitor
        changes = [f"{name} = iif({name} = 0, {number}, {name})" for name, number in numbers.items()]
        if report.type == "subscription":
            kind, whole = strings.number(db, "subscription"), f"{self._provider} subscription"
            changes += [f"payment_type = {kind}", f"subscription = {digest(self._site, whole, report.subscription)}"]
        if report.id.startswith(_INVOICE):
            changes.append(f"reference = {digest(self._site, self._provider, report.id)}")
        elif ids:
            changes.append(f"payment = {ids[0]}")
        if numbers.keys() & {"client_session", "profile", "visitor"}:
            changes.append("pending = iif(session = 0, 1, pending)")
        if changes:
            db.execute(f"-- revenue.add\nupdate {_TABLE} set {', '.join(changes)} where id = ?", (row,))

    def _store_rest(self, report: PaymentReport, ids: list[int], visitor: int) -> None:
        """Store what the total of a charge's refunds has beyond the refunds that are stored."""
        rows = self._db.execute(
            f"""
            -- revenue.refunded
            select coalesce(sum(amount), 0) from {_TABLE}
            where site = :site and payment in (select value from json_each(:ids)) and payment_type = :refund
            """,
            {"site": self._site, "ids": json.dumps(ids), **self._words()},
        ).fetchall()
        rest = report.amount - int(str(rows[0][0]))
        if rest < 0:
            fields = {name: getattr(report, name) for name in report.__struct_fields__}
            self._insert(PaymentReport(**fields | {"amount": rest, "total": False}), ids, visitor)

    def _adopt_refund(self, report: PaymentReport, ids: list[int]) -> bool:
        """Give the refund of a charge's total its own id, or a refund that has failed its new amount; whether one was
        found."""
        db, reference = self._db, digest(self._site, self._provider, f"refund {report.id}")
        rows = db.execute(
            f"""
            -- revenue.adopt
            update {_TABLE} set amount = :amount, reference = :reference, transaction_id = :name
            where id = (
              select {_TABLE}.id from {_TABLE} join strings on strings.id = transaction_id
              where site = :site and payment_type = :refund and (
                reference = :reference or (payment in (select value from json_each(:ids)) and amount = :amount
                  and value glob 'ch_* *' and time between :first and :last)
              )
              order by reference = :reference desc limit 1
            )
            returning id
            """,
            {
                **{"site": self._site, "ids": json.dumps(ids), "amount": report.amount, "reference": reference},
                **{"first": report.time - _NEAR, "last": report.time + _NEAR},
                "name": self._strings.number(db, report.id),
                **self._words(),
            },
        ).fetchall()
        return bool(rows)
