--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: memory_items; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memory_items (
    tenant character varying(255) NOT NULL,
    id uuid NOT NULL,
    subject character varying(255) NOT NULL,
    key character varying(255),
    kind character varying(16) NOT NULL,
    content text NOT NULL,
    content_hash character varying(64) NOT NULL,
    search_text text NOT NULL,
    body jsonb,
    tags jsonb NOT NULL,
    source character varying(255),
    temporal character varying(16) NOT NULL,
    tier character varying(8) NOT NULL,
    reason character varying(32) NOT NULL,
    rule character varying(32),
    evidence jsonb NOT NULL,
    policy_version character varying(64) NOT NULL,
    set_by_caller boolean NOT NULL,
    pinned boolean NOT NULL,
    occurs_at timestamp with time zone,
    expires_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    seen_count integer NOT NULL,
    superseded_by uuid,
    CONSTRAINT ck_memory_items_pinned_not_temp CHECK ((NOT (pinned AND ((tier)::text = 'temp'::text)))),
    CONSTRAINT ck_memory_items_temp_expires CHECK ((((tier)::text = 'temp'::text) = (expires_at IS NOT NULL))),
    CONSTRAINT ck_memory_items_tier_known CHECK (((tier)::text = ANY ((ARRAY[''::character varying, 'temp'::character varying, 'long'::character varying])::text[])))
);


--
-- Name: memstore_alembic_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memstore_alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: memstore_meta; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memstore_meta (
    name character varying(64) NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: retention_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.retention_events (
    tenant character varying(255) NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    event character varying(16) NOT NULL,
    subject character varying(255) NOT NULL,
    memory_id uuid,
    content_hash character varying(64),
    actor character varying(255) NOT NULL,
    before_tier character varying(8),
    before_reason character varying(32),
    before_rule character varying(32),
    before_expires_at timestamp with time zone,
    after_tier character varying(8),
    after_reason character varying(32),
    after_rule character varying(32),
    after_expires_at timestamp with time zone,
    policy_version character varying(64),
    counts jsonb
);


--
-- Name: sweep_runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sweep_runs (
    id uuid NOT NULL,
    slot timestamp with time zone,
    status character varying(16) NOT NULL,
    stopped_by character varying(32),
    worker character varying(255) NOT NULL,
    attempt integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    heartbeat_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    cutoff timestamp with time zone,
    dry_run boolean NOT NULL,
    only_tenant character varying(255),
    last_tenant character varying(255),
    deleted bigint NOT NULL,
    counts jsonb NOT NULL,
    error character varying(255),
    CONSTRAINT ck_sweep_runs_status_known CHECK (((status)::text = ANY ((ARRAY['running'::character varying, 'done'::character varying, 'failed'::character varying, 'aborted'::character varying])::text[])))
);


--
-- Data for Name: memory_items; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memory_items VALUES ('default', '01950000-0000-7000-8000-000000000001', 'user/42', NULL, 'semantic', 'Allergic to peanuts', '936a889b5548aa02717fa111fb4b27ba02bc722795cebe97000716a889d6d1f3', 'allergic to peanuts', NULL, '["health", "ärztlich"]', 'gpt', 'durable', 'long', 'pinned', NULL, '[{"id": "en.hard.allergy", "end": 8, "start": 0}]', 'abcdef012345', false, true, NULL, NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', 3, NULL);
INSERT INTO public.memory_items VALUES ('default', '01950000-0000-7000-8000-000000000002', 'user/42', NULL, 'semantic', '今天下雨没出门', '272a88db116824b6c9917d4612fbc92c950b10d71927e9bdfa41be4a02902633', '今天下雨没出门', NULL, '["health", "ärztlich"]', 'gpt', 'one_off', 'temp', 'temporal', 'temporal_one_off', '[{"id": "en.hard.allergy", "end": 8, "start": 0}]', 'abcdef012345', false, false, '2026-03-01 12:00:00.123456+00', '2026-03-09 08:30:00.000001+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', 3, NULL);
INSERT INTO public.memory_items VALUES ('default', '01950000-0000-7000-8000-000000000003', 'user/42', 'home', 'procedural', 'Lives in Rome', '731ee4c3523f4547c48afd761c427093caac5c1c5ead1e3d001bfcc1c3fa0d57', 'lives in rome', '{"city": "Roma", "😀": true, "floors": [1, 2.5, null]}', '["health", "ärztlich"]', 'gpt', 'durable', 'long', 'temporal', NULL, '[{"id": "en.hard.allergy", "end": 8, "start": 0}]', 'abcdef012345', true, false, NULL, NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', 3, NULL);
INSERT INTO public.memory_items VALUES ('default', '01950000-0000-7000-8000-000000000004', 'user/42', 'home', 'semantic', 'Lives in Milan', 'c8bcc0ef0b4f9a138c2eb27abf2ddec2e5400d3ddae3e2285d088312dba48f9b', 'lives in milan', NULL, '["health", "ärztlich"]', 'gpt', 'durable', 'long', 'temporal', NULL, '[{"id": "en.hard.allergy", "end": 8, "start": 0}]', 'abcdef012345', false, false, NULL, NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', 3, '01950000-0000-7000-8000-000000000003');


--
-- Data for Name: memstore_alembic_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memstore_alembic_version VALUES ('0001');


--
-- Data for Name: memstore_meta; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memstore_meta VALUES ('min_reader', '"0001"', '2026-11-30 07:06:46.753657+00');
INSERT INTO public.memstore_meta VALUES ('last_cutoff', '{"at": "x"}', '2026-03-01 12:00:00.123456+00');


--
-- Data for Name: retention_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.retention_events VALUES ('default', '01950000-0000-7000-8000-00000000000a', '2026-03-01 12:00:00.123456+00', 'expiry_set', 'user/42', '01950000-0000-7000-8000-000000000002', '272a88db116824b6c9917d4612fbc92c950b10d71927e9bdfa41be4a02902633', 'caller', 'long', 'default', 'n6', '2026-03-01 12:00:00.123456+00', 'temp', 'caller', 'n6', '2026-03-09 08:30:00.000001+00', 'abcdef012345', '{"memories": 1}');


--
-- Data for Name: sweep_runs; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sweep_runs VALUES ('01950000-0000-7000-8000-00000000000b', '2026-03-01 12:00:00.123456+00', 'done', 'max_rows', 'host/1', 1, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00', false, 'default', 'default', 1099511627776, '{"default": {"temp": 1}}', 'OperationalError');


--
-- Name: memstore_alembic_version memstore_alembic_version_pkc; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memstore_alembic_version
    ADD CONSTRAINT memstore_alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: memory_items pk_memory_items; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_items
    ADD CONSTRAINT pk_memory_items PRIMARY KEY (tenant, id);


--
-- Name: memstore_meta pk_memstore_meta; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memstore_meta
    ADD CONSTRAINT pk_memstore_meta PRIMARY KEY (name);


--
-- Name: retention_events pk_retention_events; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.retention_events
    ADD CONSTRAINT pk_retention_events PRIMARY KEY (tenant, id);


--
-- Name: sweep_runs pk_sweep_runs; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sweep_runs
    ADD CONSTRAINT pk_sweep_runs PRIMARY KEY (id);


--
-- Name: sweep_runs uq_sweep_runs_slot; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sweep_runs
    ADD CONSTRAINT uq_sweep_runs_slot UNIQUE (slot);


--
-- Name: ix_memory_items_expires; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_memory_items_expires ON public.memory_items USING btree (tenant, expires_at, id) WHERE (expires_at IS NOT NULL);


--
-- Name: ix_memory_items_subject_seen; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_memory_items_subject_seen ON public.memory_items USING btree (tenant, subject, last_seen_at, id);


--
-- Name: ix_retention_events_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_retention_events_at ON public.retention_events USING btree (tenant, at, id);


--
-- Name: ix_retention_events_content; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_retention_events_content ON public.retention_events USING btree (tenant, subject, content_hash);


--
-- Name: ix_retention_events_memory; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_retention_events_memory ON public.retention_events USING btree (tenant, memory_id, at);


--
-- Name: ix_sweep_runs_started; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_sweep_runs_started ON public.sweep_runs USING btree (started_at);


--
-- Name: uq_memory_items_content; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX uq_memory_items_content ON public.memory_items USING btree (tenant, subject, kind, content_hash) WHERE ((key IS NULL) AND (superseded_by IS NULL));


--
-- Name: uq_memory_items_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX uq_memory_items_key ON public.memory_items USING btree (tenant, subject, key) WHERE ((key IS NOT NULL) AND (superseded_by IS NULL));


--
-- PostgreSQL database dump complete
--


